"""What is outside of the service: models that embed or answer."""
