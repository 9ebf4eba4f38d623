package dev.claimstream.load.services;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports of loopback that no program uses. */
final class FreePort {
    private FreePort() {}

    static int next() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
