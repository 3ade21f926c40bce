// Remove the first index of jobs, which nothing reads any more.
// mode: schema
DROP INDEX job_queue IF EXISTS
