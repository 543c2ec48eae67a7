import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import jwt

api = os.environ["API_URL"]
keys = jwt.PyJWKClient(f"{api}/.well-known/jwks.json")


class Unauthorized(Exception):
    pass


def read_user_id(authorization):
    """Returns the user id of an access token whose session is active."""
    scheme, _, token = authorization.partition(" ")
    try:
        if scheme.lower() != "bearer" or jwt.get_unverified_header(token).get("typ") != "at+jwt":
            raise Unauthorized
        key = keys.get_signing_key_from_jwt(token).key
        claims = jwt.decode(token, key, algorithms=["ES256"], issuer=os.environ["ISSUER"], audience="reports")
    except jwt.PyJWTError as error:
        # The keys could not be loaded.
        if isinstance(error.__context__, OSError):
            raise error.__context__
        raise Unauthorized from error
    try:
        headers = {"Authorization": authorization}
        urlopen(Request(f"{api}/jwt-auth/v1/token/validate", method="POST", headers=headers), timeout=5).close()
    except HTTPError as error:
        if error.code == 401:
            raise Unauthorized from error
        raise
    return claims["sub"]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            self.respond(200, read_user_id(self.headers.get("Authorization", "")))
        except Unauthorized:
            self.respond(401, "")
        except (OSError, URLError):
            self.respond(503, "")

    def respond(self, status, text):
        body = text.encode()
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Bearer error="invalid_token"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
print("listening", flush=True)
server.serve_forever()
