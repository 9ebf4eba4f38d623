package dev.claimstream.kafka.broker;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.Server;
import kafka.server.SharedServer;
import kafka.server.StandardFaultHandlerFactory;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.bootstrap.BootstrapMetadata;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.raft.QuorumConfig;
import org.apache.kafka.server.ProcessRole;
import org.apache.kafka.server.ServerSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * Broker and controller of one node, assembled as in Kafka's {@link KafkaRaftServer}.
 *
 * <p>{@link KafkaRaftServer} waits five minutes for the controller before it stops the broker. A controller that cannot write never
 * responds.
 */
final class KafkaNode {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaNode.class);

    private final Optional<BrokerServer> broker;
    private final Optional<ControllerServer> controller;

    KafkaNode(KafkaConfig config) {
        Tuple2<MetaPropertiesEnsemble, BootstrapMetadata> found =
                KafkaRaftServer.initializeLogDirs(config, LOG, "[node %d] ".formatted(config.nodeId()));
        MetaPropertiesEnsemble folders = found._1();
        Metrics metrics = Server.initializeMetrics(
                config, Time.SYSTEM, folders.clusterId().orElseThrow());
        QuorumConfig quorum = config.quorumConfig();
        var shared = new SharedServer(
                config,
                folders,
                Time.SYSTEM,
                metrics,
                CompletableFuture.completedFuture(QuorumConfig.parseVoterConnections(quorum.voters())),
                QuorumConfig.parseBootstrapServers(quorum.bootstrapServers()),
                new StandardFaultHandlerFactory(),
                ServerSocketFactory.INSTANCE);
        broker = config.processRoles().contains(ProcessRole.BrokerRole)
                ? Optional.of(new BrokerServer(shared))
                : Optional.empty();
        controller = config.processRoles().contains(ProcessRole.ControllerRole)
                ? Optional.of(new ControllerServer(shared, KafkaRaftServer.configSchema(), found._2()))
                : Optional.empty();
    }

    /** Starts the node and returns when it is ready. */
    void start() {
        controller.ifPresent(ControllerServer::startup);
        broker.ifPresent(BrokerServer::startup);
    }

    /** @param consent how long to wait for the controller, which must release the broker */
    void stop(Duration consent) {
        broker.ifPresent(each -> each.shutdown(consent));
        controller.ifPresent(ControllerServer::shutdown);
        broker.ifPresent(BrokerServer::awaitShutdown);
        controller.ifPresent(ControllerServer::awaitShutdown);
    }
}
