package dev.claimstream.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** The ports of this machine's own address. */
final class Loopback {
    static final String HOST = "127.0.0.1";

    private Loopback() {}

    /** Whether somebody could listen there now. */
    static boolean isFree(int port) {
        try (var probe = new ServerSocket()) {
            probe.setReuseAddress(true); // a port that was just left is free
            probe.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
