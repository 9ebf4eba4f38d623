import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Consumes the public topics of Claimstream and reports violations. Uses the clients of Kafka and Avro, and no class of
 * Claimstream.
 */
public final class Checker implements AutoCloseable {
    private static final String USAGE = """
            usage: load-tests/check [OPTION...] --data DIR
                   load-tests/check [OPTION...] BOOTSTRAP REGISTRY_URL

            Read inventory.v1, claims.v1, decisions.v1 and ledger.v1 from their beginning and follow them.
            Print a line of figures per minute, and a line with VIOLATION for each of these:

              a device allocated to two claims, by decisions or by the status of claims
              a claim without a decision for longer than --patience
              two allocations of a claim with different devices and no release between them, and two equal decisions
              an allocation of a device, or on a node, that is unpublished or deleted
              a claim whose status differs from its last decision for longer than --patience
              a deleted claim that has devices for longer than --patience
              a release without an allocation, and a tombstone of a claim that has devices
              a ledger event whose hash does not match its content or the previous event
              a last ledger event that differs from the last decision for longer than --patience
              a record that cannot be decoded

              --data DIR          data folder of a running claimstream up, with the addresses of broker and registry
              --once              read to the current end of the topics, check, and exit
              --for SECONDS       exit after this time; default: at SIGTERM or Ctrl-C
              --every SECONDS     interval of the lines with figures, 60
              --patience SECONDS  maximum time until a delayed condition is met, 60
              --at-rest           at the end, check delayed conditions without patience: nothing changes any more

            Before it exits, the checker reads to the current end of the topics.

            Columns: records read; existing claims; claims allocated and pending by their last decision;
            number of decisions, and how many of them allocate and release; published devices; ledger events;
            violations.

            Exit code 0: no violation, 2: violations, 1: the check is incomplete.
            The checker retries while the broker is unavailable.
            """;
    private static final List<String> TOPICS = List.of("inventory.v1", "claims.v1", "decisions.v1", "ledger.v1");
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration RESPONSE_WITHIN = Duration.ofSeconds(2);
    private static final Duration BROKER_WITHIN = Duration.ofMinutes(2);
    private static final Duration END_WITHIN = Duration.ofSeconds(20);
    private static final Duration BROKER_WITHIN_STOPPED = Duration.ofSeconds(10);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    private final CheckerOptions options;
    private final Registry registry;
    private final KafkaConsumer<String, byte[]> consumer;
    private final TopicConsistency consistency;
    private final CountDownLatch stop = new CountDownLatch(1);
    private long records;
    private int printed;
    private boolean isEndReached;

    private Checker(CheckerOptions options) {
        this.options = options;
        this.registry = new Registry(options.registry);
        this.consistency = new TopicConsistency(options.patience);
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", options.bootstrap,
                        "isolation.level", "read_committed",
                        "enable.auto.commit", "false",
                        "auto.offset.reset", "earliest",
                        "client.id", "checker"),
                new StringDeserializer(),
                new ByteArrayDeserializer());
    }

    public static void main(String[] args) throws InterruptedException {
        System.setProperty("slf4j.internal.verbosity", "ERROR"); // no warning about the missing log library
        CheckerOptions options;
        try {
            options = CheckerOptions.of(args);
        } catch (IllegalArgumentException | IOException e) {
            System.err.println("checker: " + e.getMessage() + "\n\n" + USAGE);
            System.exit(1);
            return;
        }
        if (options.isHelp) {
            System.out.print(USAGE);
            return;
        }
        int exitCode = 1;
        try (var checker = new Checker(options)) {
            exitCode = checker.run();
        } catch (KafkaException | IllegalStateException e) {
            System.err.println("checker: the check is incomplete: " + e);
        }
        System.out.flush();
        Runtime.getRuntime().halt(exitCode);
    }

    private int run() throws InterruptedException {
        Thread checking = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopAndWait(checking)));
        System.out.println(TopicConsistency.HEAD);
        List<TopicPartition> partitions = assign();
        long started = System.nanoTime();
        long end = options.seconds.map(each -> started + each * 1_000_000_000L).orElse(Long.MAX_VALUE);
        Map<TopicPartition, Long> last = options.isOnce ? consumer.endOffsets(partitions) : Map.of();
        long line = started + options.every * 1_000_000_000L;
        while (stop.getCount() > 0 && System.nanoTime() < end && !(options.isOnce && isAt(last))) {
            int read = read();
            if (read == 0 && isCaughtUp(partitions)) {
                consistency.check(System.currentTimeMillis());
            }
            printViolations();
            if (System.nanoTime() > line) {
                printFigures();
                line += options.every * 1_000_000_000L;
            }
        }
        isEndReached = !partitions.isEmpty() && (options.isOnce ? isAt(last) : readToTheEnd(partitions));
        if (options.isAtRest) {
            consistency.checkAtRest(System.currentTimeMillis());
        } else {
            consistency.check(System.currentTimeMillis());
        }
        return result();
    }

    private boolean readToTheEnd(Collection<TopicPartition> partitions) {
        long end = System.nanoTime() + END_WITHIN.toNanos();
        boolean isEnd = false;
        while (!isEnd && System.nanoTime() < end) {
            isEnd = read() == 0 && isCaughtUp(partitions);
        }
        return isEnd;
    }

    /**
     * Waits until the topics exist, and assigns their partitions. Returns an empty list if the broker does not respond
     * after a stop.
     */
    private List<TopicPartition> assign() throws InterruptedException {
        long end = System.nanoTime() + BROKER_WITHIN.toNanos();
        boolean isStopped = false;
        Optional<List<TopicPartition>> all = partitions(end);
        while (all.isEmpty() && System.nanoTime() < end) {
            if (!isStopped && stop.await(BETWEEN_TRIES.toMillis(), TimeUnit.MILLISECONDS)) {
                isStopped = true;
                end = System.nanoTime() + BROKER_WITHIN_STOPPED.toNanos();
            }
            all = partitions(end);
        }
        consumer.assign(all.orElse(List.of()));
        consumer.seekToBeginning(all.orElse(List.of()));
        return all.orElse(List.of());
    }

    /**
     * The partitions of all topics; empty if a topic has none or the broker does not respond. After the end, the error
     * is thrown.
     */
    private Optional<List<TopicPartition>> partitions(long end) {
        List<TopicPartition> all = new ArrayList<>();
        try {
            for (String topic : TOPICS) {
                List<PartitionInfo> found = consumer.partitionsFor(topic, RESPONSE_WITHIN);
                if (found == null || found.isEmpty()) {
                    return Optional.empty();
                }
                found.forEach(each -> all.add(new TopicPartition(topic, each.partition())));
            }
            return Optional.of(all);
        } catch (KafkaException e) {
            if (stop.getCount() > 0 && System.nanoTime() > end) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private boolean isAt(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(each -> consumer.position(each.getKey()) >= each.getValue());
    }

    /** The lag by the last response of the broker. */
    private boolean isCaughtUp(Collection<TopicPartition> partitions) {
        return partitions.stream().allMatch(each -> consumer.currentLag(each).orElse(1) == 0);
    }

    private int read() {
        int count = 0;
        for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
            count++;
            add(record);
        }
        records += count;
        return count;
    }

    private void add(ConsumerRecord<String, byte[]> record) {
        var position = new TopicConsistency.TopicPosition(
                record.topic(), record.partition(), record.offset(), record.timestamp());
        if (record.value() == null) {
            consistency.addTombstone(position, record.key());
            return;
        }
        Optional<Registry.FramedRecord> value = registry.read(record.value());
        if (value.isEmpty()) {
            consistency.addUndecodable(position);
            return;
        }
        switch (record.topic()) {
            case "inventory.v1" ->
                consistency.addInventory(position, record.key(), value.get().content());
            case "claims.v1" ->
                consistency.addClaim(position, record.key(), value.get().content());
            case "decisions.v1" -> consistency.addDecision(position, value.get().content());
            default ->
                consistency.addLedgerEvent(
                        position, value.get().bytes(), value.get().content());
        }
    }

    private void printViolations() {
        for (; printed < consistency.violations().size(); printed++) {
            System.out.println("VIOLATION " + consistency.violations().get(printed));
        }
    }

    private void printFigures() {
        System.out.println(consistency.figures(
                LocalTime.now().truncatedTo(ChronoUnit.SECONDS).toString(), records));
        System.out.flush();
    }

    private int result() {
        printViolations();
        printFigures();
        int violations = consistency.violationCount();
        if (violations > 0) {
            System.out.println("result: violations: %d".formatted(violations));
            return 2;
        }
        System.out.println(
                isEndReached ? "result: no violation" : "result: incomplete, the end of the topics was not reached");
        return isEndReached ? 0 : 1;
    }

    /** The checking thread ends the process with the exit code. */
    private void stopAndWait(Thread checking) {
        stop.countDown();
        try {
            checking.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofSeconds(1)));
    }

    private record CheckerOptions(
            String bootstrap,
            URI registry,
            boolean isOnce,
            Optional<Long> seconds,
            long every,
            Duration patience,
            boolean isAtRest,
            boolean isHelp) {
        static CheckerOptions of(String[] args) throws IOException {
            Deque<String> left = new ArrayDeque<>(List.of(args));
            List<String> addresses = new ArrayList<>();
            boolean isOnce = false;
            boolean isAtRest = false;
            boolean isHelp = false;
            Optional<Long> seconds = Optional.empty();
            long every = 60;
            Duration patience = Duration.ofSeconds(60);
            while (!left.isEmpty()) {
                switch (left.pop()) {
                    case "--help", "-h" -> isHelp = true;
                    case "--once" -> isOnce = true;
                    case "--at-rest" -> isAtRest = true;
                    case "--for" -> seconds = Optional.of(number("--for", left));
                    case "--every" -> every = Math.max(1, number("--every", left));
                    case "--patience" -> patience = Duration.ofSeconds(number("--patience", left));
                    case "--data" ->
                        addresses.addAll(endpoint(
                                Path.of(Optional.ofNullable(left.poll()).orElse(""))));
                    case String option
                    when option.startsWith("-") ->
                        throw new IllegalArgumentException("%s is no option".formatted(option));
                    case String address -> addresses.add(address);
                }
            }
            if (isHelp) {
                return new CheckerOptions("", URI.create(""), false, seconds, every, patience, false, true);
            }
            if (addresses.size() != 2) {
                throw new IllegalArgumentException("expected --data DIR, or the addresses BOOTSTRAP and REGISTRY_URL");
            }
            return new CheckerOptions(
                    addresses.getFirst(),
                    URI.create(addresses.getLast()),
                    isOnce,
                    seconds,
                    every,
                    patience,
                    isAtRest,
                    false);
        }

        private static long number(String option, Deque<String> left) {
            try {
                return Long.parseLong(String.valueOf(left.poll()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(option + ": must be a whole number of seconds", e);
            }
        }

        private static List<String> endpoint(Path folder) throws IOException {
            Path file = folder.resolve("endpoint.json");
            if (!Files.exists(file)) {
                throw new IllegalArgumentException(
                        "no claimstream up runs on %s: start one with 'claimstream up --data %s'"
                                .formatted(folder, folder));
            }
            var fields = Registry.json(Files.readString(file));
            return List.of(
                    fields.path("bootstrapServers").asText(),
                    fields.path("schemaRegistry").asText());
        }
    }
}
