"""The use cases of memories: remember, revise, forget, supersede, and reading them back."""
