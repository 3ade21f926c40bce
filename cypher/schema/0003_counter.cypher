// There is one counter, from which every change takes its revision and every memory its ordinal.
// mode: write
MERGE (counter:Counter {name: 'revision'})
ON CREATE SET counter.value = 0, counter.ordinal = 0
MERGE (jobs:Counter {name: 'jobs'})
ON CREATE SET jobs.value = 0
