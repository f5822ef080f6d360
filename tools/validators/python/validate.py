"""Loads an OpenAPI description with openapi-core, which validates it with openapi-spec-validator."""

import sys

from openapi_core import OpenAPI

OpenAPI.from_file_path(sys.argv[1])
