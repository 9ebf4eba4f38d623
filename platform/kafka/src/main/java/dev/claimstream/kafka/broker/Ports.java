package dev.claimstream.kafka.broker;

import dev.claimstream.kafka.broker.BrokerStartException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Finds and checks ports on loopback. */
final class Ports {
    private static final int NONE = -1;

    private Ports() {}

    /** A port that is free now. */
    static int free() {
        return freeBut(NONE);
    }

    /** A port that is free now, and another one than this: the system may offer a free port twice. */
    static int freeBut(int taken) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral(BrokerSettings.HOST))) {
            int port = socket.getLocalPort();
            return port == taken ? freeBut(taken) : port; // while this port is open, the next one differs
        } catch (IOException e) {
            throw new UncheckedIOException("No free port on loopback", e);
        }
    }

    static void refuseUsed(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true); // as Kafka does: a port that was just closed is free
            probe.bind(new InetSocketAddress(InetAddress.ofLiteral(BrokerSettings.HOST), port));
        } catch (IOException e) {
            throw new BrokerStartException(
                    Kind.PORT_IN_USE,
                    "Port %d on %s cannot be used: %s".formatted(port, BrokerSettings.HOST, e.getMessage()),
                    "Name another port, or none for any free one",
                    e);
        }
    }
}
