package dev.claimstream.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Checks ports on the loopback address. */
final class Loopback {
    static final String HOST = "127.0.0.1";

    private Loopback() {}

    /** Returns whether a server can bind the port now. */
    static boolean isFree(int port) {
        try (var probe = new ServerSocket()) {
            probe.setReuseAddress(true); // a port in TIME_WAIT is free
            probe.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
