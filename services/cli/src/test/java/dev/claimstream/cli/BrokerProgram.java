package dev.claimstream.cli;

import dev.claimstream.kafka.KafkaConnection;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

/**
 * A broker with a registry as a process of its own.
 *
 * @param folder for what programs say, and in it what this one keeps
 * @param name for good, as are the ports, so that a start after a kill goes on as the same one
 * @param partitions of what is said of the cluster
 */
record BrokerProgram(Path folder, String name, int port, int registryPort, int cells, int partitions) {
    Program start() throws IOException {
        return Program.start(
                folder,
                Part.class,
                "broker",
                folder.resolve(name).toString(),
                Integer.toString(port),
                Integer.toString(registryPort),
                Integer.toString(cells),
                Integer.toString(partitions));
    }

    /** The cluster with watcher, writer and console at this broker. */
    Program startCluster() throws IOException {
        return Program.start(
                folder,
                Part.class,
                "cluster",
                folder.resolve("cluster").toString(),
                bootstrap(),
                registryUrl().toString());
    }

    String bootstrap() {
        return Loopback.HOST + ":" + port;
    }

    KafkaConnection kafka() {
        return KafkaConnection.plain(bootstrap());
    }

    URI registryUrl() {
        return URI.create("http://%s:%d".formatted(Loopback.HOST, registryPort));
    }
}
