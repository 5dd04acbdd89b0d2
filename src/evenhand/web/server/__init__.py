"""The application: sessions, middleware, routes, OpenAPI, limits."""
