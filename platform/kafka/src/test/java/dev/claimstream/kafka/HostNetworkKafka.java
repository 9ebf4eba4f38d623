package dev.claimstream.kafka;

import com.github.dockerjava.api.command.InspectContainerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** A Kafka container on the network of the host, for an engine without a bridge: free ports of loopback, an image that is not pulled. */
final class HostNetworkKafka extends KafkaContainer {
    private static final String START_SCRIPT = "/tmp/testcontainers_start.sh";
    private static final int EXECUTABLE = 0755;
    private static final int PORTS = 3;

    private final List<Integer> ports = freePorts();

    HostNetworkKafka(DockerImageName image) {
        super(image);
        setExposedPorts(List.of());
        withNetworkMode("host");
        withImagePullPolicy(_ -> false); // a missing image fails at once
        withEnv("KAFKA_LISTENERS", "%s,CONTROLLER://127.0.0.1:%d".formatted(listeners(), ports.get(2)));
        withEnv("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@127.0.0.1:" + ports.get(2));
    }

    private String listeners() {
        return "PLAINTEXT://127.0.0.1:%d,BROKER://127.0.0.1:%d".formatted(ports.get(0), ports.get(1));
    }

    @Override
    public Integer getMappedPort(int port) {
        return ports.getFirst();
    }

    @Override
    protected void containerIsStarting(InspectContainerResponse started) {
        String script = """
                #!/bin/bash
                export KAFKA_ADVERTISED_LISTENERS=%s
                exec /etc/kafka/docker/run
                """.formatted(listeners());
        copyFileToContainer(Transferable.of(script, EXECUTABLE), START_SCRIPT);
    }

    private static List<Integer> freePorts() {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < PORTS; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            List<Integer> free =
                    sockets.stream().map(ServerSocket::getLocalPort).toList();
            for (ServerSocket each : sockets) {
                each.close();
            }
            return free;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
