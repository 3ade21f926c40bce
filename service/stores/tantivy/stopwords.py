"""English words that say nothing about what a query is about."""

_LIST = """
a about above after again against all am an and any are arent as at be because been before
being below between both but by can cannot cant could couldnt did didnt do does doesnt doing
dont down during each few for from further had hadnt has hasnt have havent having he her here
hers herself him himself his how i if in into is isnt it its itself just me more most mustnt
my myself no nor not of off on once only or other ought our ours ourselves out over own same
shant she should shouldnt so some such than that the their theirs them themselves then there
these they this those through to too under until up very was wasnt we were werent what when
where which while who whom whose why will with wont would wouldnt you your yours yourself
yourselves
"""

STOP_WORDS: frozenset[str] = frozenset(_LIST.split())
"""The Snowball project's English list, written as the analyzer writes words (no apostrophes)."""
