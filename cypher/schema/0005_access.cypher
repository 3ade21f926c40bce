// Keys are found by id, and a name tells one key for ever.
// mode: schema
CREATE CONSTRAINT api_key_id IF NOT EXISTS FOR (k:ApiKey) REQUIRE k.id IS UNIQUE;
CREATE CONSTRAINT api_key_name IF NOT EXISTS FOR (k:ApiKey) REQUIRE k.name IS UNIQUE;
