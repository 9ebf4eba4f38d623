package dev.claimstream.cli.standalone;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Checks ports on the loopback address. */
public final class Loopback {
    public static final String HOST = "127.0.0.1";

    private Loopback() {}

    /** Returns whether a server can bind the port now. */
    public static boolean isFree(int port) {
        try (var probe = new ServerSocket()) {
            probe.setReuseAddress(true); // a port in TIME_WAIT is free
            probe.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
