// Answers when the database can be read.
// mode: read
// returns: ready
RETURN true AS ready
