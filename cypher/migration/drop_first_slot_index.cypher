// Make room for the index of slots: its first form asked for a time too, and found no slot alone.
// mode: schema
DROP INDEX attribute_slot IF EXISTS
