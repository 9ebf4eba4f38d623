package dev.claimstream.kafka.broker;

import dev.claimstream.kafka.broker.BrokerStartException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Ports on loopback. */
final class Ports {
    private static final int NONE = -1;

    private Ports() {}

    /** One that nobody listens on now. */
    static int free() {
        return freeBut(NONE);
    }

    /** One that nobody listens on now, and not this: a port that was free a moment ago can be offered again. */
    static int freeBut(int taken) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral(BrokerSettings.HOST))) {
            int port = socket.getLocalPort();
            return port == taken ? freeBut(taken) : port; // this one is held meanwhile: the next differs
        } catch (IOException e) {
            throw new UncheckedIOException("No free port on loopback", e);
        }
    }

    static void refuseUsed(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true); // as Kafka does: a port that was just left is free
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
