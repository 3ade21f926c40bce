"""The HTTP service: routes and schemas over the use cases."""
