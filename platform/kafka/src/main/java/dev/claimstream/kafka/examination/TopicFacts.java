package dev.claimstream.kafka.examination;

/**
 * Replication of a topic.
 *
 * @param replication number of replicas of the partition that has the fewest
 * @param minInSync value of {@code min.insync.replicas}
 * @param lagging number of partitions with a replica that is not in sync
 * @param blocked number of partitions with fewer replicas in sync than {@code min.insync.replicas}: writes to them fail
 */
public record TopicFacts(String name, int replication, int minInSync, long lagging, long blocked) {}
