package dev.claimstream.systemtests.process;

import dev.claimstream.cli.standalone.Loopback;
import dev.claimstream.kafka.KafkaConnection;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

/**
 * Starts broker and registry as a separate process, and the cluster as another one.
 *
 * @param folder of the logs of the processes, and of the broker's data
 * @param name stable, as are the ports: a restart after a kill serves the same data
 * @param partitions of each of the public topics
 */
public record BrokerProgram(Path folder, String name, int port, int registryPort, int cells, int partitions) {
    public Program start() throws IOException {
        return Program.start(
                folder,
                ComponentProgram.class,
                "broker",
                folder.resolve(name).toString(),
                Integer.toString(port),
                Integer.toString(registryPort),
                Integer.toString(cells),
                Integer.toString(partitions));
    }

    /** Starts the simulated cluster with watcher, writer and console at this broker. */
    public Program startCluster() throws IOException {
        return Program.start(
                folder,
                ComponentProgram.class,
                "cluster",
                folder.resolve("cluster").toString(),
                bootstrap(),
                registryUrl().toString());
    }

    public String bootstrap() {
        return Loopback.HOST + ":" + port;
    }

    public KafkaConnection kafka() {
        return KafkaConnection.plain(bootstrap());
    }

    public URI registryUrl() {
        return URI.create("http://%s:%d".formatted(Loopback.HOST, registryPort));
    }
}
