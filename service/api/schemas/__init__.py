"""What each route takes and answers."""
