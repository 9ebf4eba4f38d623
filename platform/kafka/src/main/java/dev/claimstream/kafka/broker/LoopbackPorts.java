package dev.claimstream.kafka.broker;

import dev.claimstream.kafka.broker.BrokerStartException.StartFailureKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Finds and checks ports on loopback. */
public final class LoopbackPorts {
    private static final int NONE = -1;

    private LoopbackPorts() {}

    /** Returns a port that is free now. */
    public static int free() {
        return freeExcept(NONE);
    }

    /** A port that is free now, and another one than this: the system may offer a free port twice. */
    static int freeExcept(int excluded) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral(BrokerSettings.HOST))) {
            int port = socket.getLocalPort();
            return port == excluded ? freeExcept(excluded) : port; // while this port is open, the next one differs
        } catch (IOException e) {
            throw new UncheckedIOException("No free port on loopback", e);
        }
    }

    static void rejectUsed(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true); // as Kafka does: a port that was just closed is free
            probe.bind(new InetSocketAddress(InetAddress.ofLiteral(BrokerSettings.HOST), port));
        } catch (IOException e) {
            throw new BrokerStartException(
                    StartFailureKind.PORT_IN_USE,
                    "Port %d on %s cannot be used: %s".formatted(port, BrokerSettings.HOST, e.getMessage()),
                    "Name another port, or none for any free one",
                    e);
        }
    }
}
