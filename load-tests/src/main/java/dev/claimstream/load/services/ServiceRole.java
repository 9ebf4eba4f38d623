package dev.claimstream.load.services;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;

/** A part of the installation whose process is ended. */
enum ServiceRole {
    INTAKE("intake", "claimstream-intake", Topics.CLAIMS),
    CELL("cell", "claimstream-allocator", Topics.CELLS_IN),
    ROUTER("router", "claimstream-allocator", Topics.ROUTER_IN),
    WATCHER("watcher", "", ""),
    WRITER("writer", "claimstream-writer", Topics.DECISIONS),
    CONSOLE("console", "", ""),
    LIVENESS("liveness", "claimstream-liveness", Topics.TELEMETRY),
    AGENT("agent", "", ""),
    HISTORY("history", "", ""),
    SIMULATOR("simulator", "", ""),
    SHADOW("shadow", "", ""),
    ARCHIVE("archive", "", ""),
    CHECKPOINTS("checkpoints", "", "");

    private final String text;
    private final String group;
    private final String topic;

    ServiceRole(String text, String group, String topic) {
        this.text = text;
        this.group = group;
        this.topic = topic;
    }

    String text() {
        return text;
    }

    /** Returns whether it is a service of its own that follows the log, and on which no other service depends. */
    boolean isFollower() {
        return FollowerServices.NAMES.contains(text);
    }

    /** Returns whether the role exists in an installation with this number of cells. */
    boolean existsWith(int cells) {
        return this != ROUTER || cells > 1;
    }

    /**
     * Returns the process of these that has the first partition of the role's topic; empty during a rebalance.
     *
     * @param names of processes; a member's name contains that of its process
     */
    Optional<String> activeOf(KafkaConnection kafka, List<String> names) throws InterruptedException {
        try (var admin = Admin.create(kafka.properties())) {
            ConsumerGroupDescription description =
                    admin.describeConsumerGroups(List.of(group)).all().get().get(group);
            return Optional.ofNullable(description).stream()
                    .flatMap(found -> found.members().stream())
                    .filter(this::hasFirstPartition)
                    .map(member -> member.groupInstanceId().orElse(member.clientId()))
                    .flatMap(id -> names.stream().filter(id::contains))
                    .findFirst();
        } catch (ExecutionException e) {
            throw new IllegalStateException("group " + group, e);
        }
    }

    private boolean hasFirstPartition(MemberDescription member) {
        return member.assignment().topicPartitions().stream()
                .anyMatch(partition -> partition.topic().equals(topic) && partition.partition() == 0);
    }
}
