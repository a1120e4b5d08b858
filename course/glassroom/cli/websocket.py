"""The connection between a browser and a kernel, without Nagle's algorithm.

A widget's messages are small, and waiting to send several together makes a slider lag.
"""

from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Jupyter's own connection, told to send every message immediately."""

    def connect(self) -> Any:
        """Connect as Jupyter does, on a socket that does not wait."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
