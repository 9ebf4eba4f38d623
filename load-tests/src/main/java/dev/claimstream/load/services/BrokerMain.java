package dev.claimstream.load.services;

import dev.claimstream.kafka.broker.BrokerFault;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.BrokerSettings.BrokerListener;
import dev.claimstream.kafka.broker.BrokerSettings.ControllerEndpoint;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A broker as a process. Arguments: folder, port, number of the broker from 1, number of brokers; and for each but the
 * first one, and for the first one if it starts again, the cluster id and the port of the controller. With the system
 * properties {@value #TLS_PORT} and {@value #TLS_STORE}, clients and other brokers connect with TLS.
 *
 * <p>Once it accepts clients it prints one line: {@value #READY}, the cluster id and the port of the controller. It
 * ends with code 1 after a fault of its disk.
 */
final class BrokerMain {
    static final String READY = "ready";

    static final String TLS_PORT = "load.tls.port";
    static final String TLS_STORE = "load.tls.store";

    private static final int FAILED = 1;
    private static final String TLS = "TLS";

    private BrokerMain() {}

    public static void main(String[] args) {
        var settings = encrypted(BrokerSettings.in(Path.of(args[0]))
                .onPort(Integer.parseInt(args[1]))
                .replicated(Integer.parseInt(args[3])));
        int number = Integer.parseInt(args[2]);
        var broker = EmbeddedBroker.start(member(settings, number, Arrays.copyOfRange(args, 4, args.length)));
        System.out.printf(
                "%s %s %d%n",
                READY, broker.clusterId(), broker.controllerEndpoint().controllerPort());
        BrokerFault fault = broker.fault().join();
        System.err.println(fault);
        // A broker closes itself in order before such an end; with a full disk, that can take for ever.
        Runtime.getRuntime().halt(FAILED);
    }

    /** @param cluster the cluster id and the port of the controller; empty for the first start of the first broker */
    private static BrokerSettings member(BrokerSettings settings, int number, String[] cluster) {
        if (cluster.length == 0) {
            return settings;
        }
        int controllerPort = Integer.parseInt(cluster[1]);
        return number == BrokerProcesses.CONTROLLER
                ? settings.withControllerPort(controllerPort)
                : settings.joining(new ControllerEndpoint(cluster[0], controllerPort), number);
    }

    private static BrokerSettings encrypted(BrokerSettings settings) {
        String store = System.getProperty(TLS_STORE, "");
        if (store.isEmpty()) {
            return settings;
        }
        BrokerSettings changed = settings.with(new BrokerListener(TLS, "SSL", Integer.getInteger(TLS_PORT)))
                .with("inter.broker.listener.name", TLS);
        for (String kind : List.of("keystore", "truststore")) {
            changed = changed.with("ssl.%s.type".formatted(kind), "PKCS12")
                    .with("ssl.%s.location".formatted(kind), store)
                    .with("ssl.%s.password".formatted(kind), LoopbackCertificate.PASSWORD);
        }
        return changed;
    }
}
