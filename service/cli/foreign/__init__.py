"""Moving in from other products: what their SQLite files hold, as memories of this service."""
