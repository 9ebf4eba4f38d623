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

/** Consumes the public topics of Claimstream and reports violations. Uses the clients of Kafka and Avro, and no class of Claimstream. */
public final class Checker implements AutoCloseable {
    private static final String USAGE = """
            usage: checker --data DIR | BOOTSTRAP REGISTRY_URL  [--once] [--for SECONDS] [--every SECONDS] [--patience SECONDS] [--at-rest]

            Follows inventory.v1, claims.v1, decisions.v1 and ledger.v1 from their beginning, prints figures, and says what is wrong as soon as it is seen:

              a device with two holders, in the decisions or in the status of claims
              a claim that stands longer than the patience without an answer
              a claim that was answered again, without a release between
              a grant of a device or on a node that was not published, or was gone
              a status that is not what was decided for longer than the patience, and devices held for a claim that is gone
              a release of what was not given, and a claim forgotten while it holds devices
              a ledger whose hashes do not chain, or whose last word on a claim is not that of decisions.v1
              a record that cannot be read

              --data DIR          the data folder of a running claimstream up, which says where its broker and registry are
              --once              reads to the end of the topics as they are now, then judges
              --for SECONDS       ends after so long; without it, at SIGTERM or Ctrl-C
              --every SECONDS     between two lines of figures, 60
              --patience SECONDS  how long something may take that takes time, 60
              --at-rest           when it ends, nothing goes on any more: what takes time has had it, and is judged without patience

            At its end it reads to the end of the topics as they are then.
            Exit code 0: nothing is wrong, 2: something is, 1: it could not be checked. A broker that goes away is waited for.
            """;
    private static final List<String> TOPICS = List.of("inventory.v1", "claims.v1", "decisions.v1", "ledger.v1");
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);
    private static final Duration BROKER_WITHIN = Duration.ofMinutes(2);
    private static final Duration END_WITHIN = Duration.ofSeconds(20);
    private static final Duration BROKER_WITHIN_STOPPED = Duration.ofSeconds(10);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    private final CheckerOptions options;
    private final Registry registry;
    private final KafkaConsumer<String, byte[]> consumer;
    private final Judge judge;
    private final CountDownLatch stop = new CountDownLatch(1);
    private long records;
    private int shown;
    private boolean isEndReached;

    private Checker(CheckerOptions options) {
        this.options = options;
        this.registry = new Registry(options.registry);
        this.judge = new Judge(options.patience);
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
            System.err.println("checker: it could not be checked: " + e);
        }
        System.out.flush();
        Runtime.getRuntime().halt(exitCode);
    }

    private int run() throws InterruptedException {
        Thread judging = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopAndWait(judging)));
        System.out.println(Judge.HEAD);
        List<TopicPartition> partitions = assign();
        long started = System.nanoTime();
        long end = options.seconds.map(each -> started + each * 1_000_000_000L).orElse(Long.MAX_VALUE);
        Map<TopicPartition, Long> last = options.isOnce ? consumer.endOffsets(partitions) : Map.of();
        long line = started + options.every * 1_000_000_000L;
        while (stop.getCount() > 0 && System.nanoTime() < end && !(options.isOnce && isAt(last))) {
            int read = read();
            if (read == 0 && isCaughtUp(partitions)) {
                judge.look(System.currentTimeMillis());
            }
            show();
            if (System.nanoTime() > line) {
                figures();
                line += options.every * 1_000_000_000L;
            }
        }
        isEndReached = !partitions.isEmpty() && (options.isOnce ? isAt(last) : readToTheEnd(partitions));
        if (options.isAtRest) {
            judge.lookAtRest(System.currentTimeMillis());
        } else {
            judge.look(System.currentTimeMillis());
        }
        judge.end();
        return verdict();
    }

    private boolean readToTheEnd(Collection<TopicPartition> partitions) {
        long end = System.nanoTime() + END_WITHIN.toNanos();
        boolean isEnd = false;
        while (!isEnd && System.nanoTime() < end) {
            isEnd = read() == 0 && isCaughtUp(partitions);
        }
        return isEnd;
    }

    /** Waits until the topics exist, and assigns their partitions: none if the broker does not respond soon after a stop. */
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

    /** The partitions of all topics; empty if a topic has none or the broker does not respond. After the end, the error is thrown. */
    private Optional<List<TopicPartition>> partitions(long end) {
        List<TopicPartition> all = new ArrayList<>();
        try {
            for (String topic : TOPICS) {
                List<PartitionInfo> found = consumer.partitionsFor(topic, ANSWER_WITHIN);
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
            take(record);
        }
        records += count;
        return count;
    }

    private void take(ConsumerRecord<String, byte[]> record) {
        var place = new Judge.TopicPosition(record.topic(), record.partition(), record.offset(), record.timestamp());
        if (record.value() == null) {
            judge.tombstone(place, record.key());
            return;
        }
        Optional<Registry.FramedRecord> value = registry.read(record.value());
        if (value.isEmpty()) {
            judge.unreadable(place);
            return;
        }
        switch (record.topic()) {
            case "inventory.v1" -> judge.inventory(place, record.key(), value.get().content());
            case "claims.v1" -> judge.claim(place, record.key(), value.get().content());
            case "decisions.v1" -> judge.decision(place, value.get().content());
            default -> judge.ledger(place, value.get().bytes(), value.get().content());
        }
    }

    private void show() {
        for (; shown < judge.faults().size(); shown++) {
            System.out.println("WRONG " + judge.faults().get(shown));
        }
    }

    private void figures() {
        System.out.println(judge.figures(LocalTime.now().truncatedTo(ChronoUnit.SECONDS).toString(), records));
        System.out.flush();
    }

    private int verdict() {
        show();
        figures();
        int wrong = judge.faultCount();
        System.out.println(wrong > 0 ? "verdict: %d wrong".formatted(wrong) : isEndReached ? "verdict: nothing is wrong" : "verdict: the end of the topics was not reached");
        return wrong > 0 ? 2 : isEndReached ? 0 : 1;
    }

    /** The judging thread ends the process with the exit code. */
    private void stopAndWait(Thread judging) {
        stop.countDown();
        try {
            judging.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofSeconds(1)));
    }

    private record CheckerOptions(String bootstrap, URI registry, boolean isOnce, Optional<Long> seconds, long every, Duration patience, boolean isAtRest, boolean isHelp) {
        static CheckerOptions of(String[] args) throws IOException {
            Deque<String> left = new ArrayDeque<>(List.of(args));
            List<String> places = new ArrayList<>();
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
                    case "--data" -> places.addAll(endpoint(Path.of(Optional.ofNullable(left.poll()).orElse(""))));
                    case String place -> places.add(place);
                }
            }
            if (isHelp) {
                return new CheckerOptions("", URI.create(""), false, seconds, every, patience, false, true);
            }
            if (places.size() != 2) {
                throw new IllegalArgumentException("name a broker and a registry, or a data folder");
            }
            return new CheckerOptions(places.getFirst(), URI.create(places.getLast()), isOnce, seconds, every, patience, isAtRest, false);
        }

        private static long number(String option, Deque<String> left) {
            try {
                return Long.parseLong(String.valueOf(left.poll()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(option + " wants a number of seconds", e);
            }
        }

        private static List<String> endpoint(Path folder) throws IOException {
            Path file = folder.resolve("endpoint.json");
            if (!Files.exists(file)) {
                throw new IllegalArgumentException("nothing runs on %s: start it with 'claimstream up --data %s'".formatted(folder, folder));
            }
            var fields = Registry.json(Files.readString(file));
            return List.of(fields.path("bootstrapServers").asText(), fields.path("schemaRegistry").asText());
        }
    }
}
