package dev.claimstream.systemtests.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Simulated users of a console that may be killed at any moment. They create and delete claims, and verify the final
 * state.
 */
public final class Users {
    /** Time for two starts of a process on a busy machine. */
    public static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int EXISTING_MAX = 250;

    private final Path folder;
    private final Path data;
    private final long seed;
    private final int existingMax;
    private final Churn churn;
    private final AtomicInteger answers = new AtomicInteger();
    private volatile int created;
    private volatile int deleted;
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    /**
     * Creates users with the default number of claims.
     *
     * @param folder of the logs of programs
     * @param data folder in which the console publishes its endpoint
     */
    public Users(Path folder, Path data, long seed) {
        this(folder, data, seed, EXISTING_MAX);
    }

    /**
     * Creates users.
     *
     * @param standing number of existing claims from which on as many are deleted as created
     */
    public Users(Path folder, Path data, long seed, int standing) {
        this.folder = folder;
        this.data = data;
        this.seed = seed;
        this.existingMax = standing;
        this.churn = new Churn(seed);
    }

    /** Adds a failure of a process, which ends all waiting. */
    public void addFailure(Throwable why) {
        failures.add(why);
    }

    public void assertNoFailures() {
        assertThat(failures).as("seed %d", seed).isEmpty();
    }

    /** Waits until this many more requests are answered. */
    public void awaitAnswers(int more) {
        int until = answers.get() + more;
        while (answers.get() < until) {
            assertNoFailures();
            pause(Duration.ofMillis(5));
        }
    }

    /** Waits until more than this number of claims is created. */
    public void awaitCreated(int before) {
        while (created <= before) {
            assertNoFailures();
            pause(Duration.ofMillis(5));
        }
    }

    /** Returns the number of created claims. Thread-safe. */
    public int created() {
        return created;
    }

    /** Returns the number of claims deleted again. Thread-safe. */
    public int deleted() {
        return deleted;
    }

    /** Asserts the settled state, deletes everything, and asserts that all devices are free. */
    public void finish() throws IOException, InterruptedException {
        assertSettled();
        deleteAll();
    }

    /**
     * Waits until nothing changes. Asserts that every existing claim is allocated or pending for a true reason, and
     * that every claim has a decision.
     */
    public void assertSettled() throws IOException, InterruptedException {
        SortedMap<String, JsonObject> settled = awaitSettled();
        assertThat(names(settled.keySet())).as("what stands, seed %d", seed).isEqualTo(churn.existing());
        assertThat(wronglyPending(settled)).as("served, seed %d", seed).isEmpty();
        Endpoint endpoint = endpoint();
        assertNoFindings(endpoint);
        assertThat(names(DecisionLog.claimNames(endpoint.bootstrap(), endpoint.registry())))
                .as("answered, seed %d", seed)
                .isEqualTo(churn.created());
    }

    /** Deletes everything and waits until all devices are free. */
    public void deleteAll() throws IOException, InterruptedException {
        while (!churn.existing().isEmpty()) {
            delete(churn.deleteSome(_ -> true));
        }
        await("all free", () -> claims().isEmpty() && freeDevices() == Churn.NODES * Churn.DEVICES_PER_NODE);
        assertNoFindings(endpoint());
    }

    private void assertNoFindings(Endpoint endpoint) throws IOException, InterruptedException {
        CommandResult checked = CheckerProgram.runUntilClean(folder, endpoint.bootstrap(), endpoint.registry());
        System.err.print(checked.out());
        assertThat(checked.exitCode()).as("seed %d: %s", seed, checked).isZero();
    }

    // ---- creating and deleting claims

    public void createAndDelete() {
        apply(churn.createMore());
        if (churn.existing().size() > existingMax) {
            delete(churn.deleteSome(decidedNames()::contains));
        }
        created = churn.created().size();
        deleted = created - churn.existing().size();
    }

    /** Deletes this many decided claims at once. */
    public void deleteDecided(int count) {
        delete(churn.deleteSome(count, decidedNames()::contains));
    }

    /** Returns existing claims that are decided; at least one. */
    private Set<String> decidedNames() {
        Set<String> answered = new HashSet<>();
        await("answer", () -> {
            answered.addAll(names(claims().entrySet().stream()
                    .filter(each -> !isUnprocessed(each.getValue()))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet())));
            answered.retainAll(churn.existing());
            return !answered.isEmpty();
        });
        return answered;
    }

    public void apply(String manifests) {
        post("/api/v1/apply", manifests);
    }

    private void delete(String manifests) {
        post("/api/v1/delete", manifests);
    }

    /**
     * Repeats the request until the console answers. It is unknown whether a request succeeded when the process died;
     * repeating it is safe.
     */
    private void post(String path, String manifests) {
        JsonObject[] said = new JsonObject[1];
        await(path, () -> {
            said[0] = console().post(path, manifests.getBytes(StandardCharsets.UTF_8));
            return true;
        });
        answers.incrementAndGet();
        assertThat(said[0].items("findings")).isEmpty();
        assertThat(said[0].items("objects"))
                .isNotEmpty()
                .extracting(each -> each.text("outcome"))
                .isSubsetOf("created", "unchanged", "deleted", "terminating", "missing");
    }

    private Endpoint endpoint() {
        return DataFolder.publishedEndpoint(data).orElseThrow();
    }

    private ConsoleClient console() {
        return ConsoleClient.ofFolder(data);
    }

    private SortedMap<String, JsonObject> claims() {
        var claims = new TreeMap<String, JsonObject>();
        console().items("/api/v1/claims").forEach(each -> claims.put(each.text("name"), each));
        return claims;
    }

    private long freeDevices() {
        return console().items("/api/v1/devices?state=free").size();
    }

    private static Set<String> names(Set<String> claims) {
        return claims.stream().map(Churn::nameOf).collect(Collectors.toSet());
    }

    // ---- the final state

    /** Returns the claims once all are decided and committed and nothing changes. */
    private SortedMap<String, JsonObject> awaitSettled() {
        var last = new ArrayList<SortedMap<String, JsonObject>>();
        last.add(new TreeMap<>());
        await("quiet", () -> {
            SortedMap<String, JsonObject> now = claims();
            boolean isQuiet =
                    now.equals(last.getFirst()) && now.values().stream().allMatch(Users::isSettled);
            last.set(0, now);
            if (!isQuiet) {
                pause(Duration.ofMillis(500));
            }
            return isQuiet;
        });
        return last.getFirst();
    }

    private static boolean isSettled(JsonObject claim) {
        return switch (claim.text("state")) {
            case "allocated", "allocated,reserved" -> claim.text("committed").equals("true");
            case "pending" -> !isUnprocessed(claim);
            default -> false;
        };
    }

    private static boolean isUnprocessed(JsonObject claim) {
        return claim.text("reason").equals("Unprocessed");
    }

    /**
     * Returns the claims that are pending for a wrong reason. A reason is true if no node has enough free devices, or
     * if the node that has them is reserved for an older claim.
     */
    private List<String> wronglyPending(SortedMap<String, JsonObject> claims) {
        SortedMap<String, Integer> free = new TreeMap<>();
        console().items("/api/v1/devices?state=free").forEach(each -> free.merge(each.text("node"), 1, Integer::sum));
        int most = free.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        List<JsonObject> waiting = claims.values().stream()
                .filter(each -> each.text("state").equals("pending"))
                .toList();
        boolean isOneKept =
                waiting.stream().anyMatch(each -> each.text("reason").equals("DevicesInUse"));
        return waiting.stream()
                .filter(each -> !each.text("reason").equals("DevicesInUse") || Churn.sizeOf(each.text("name")) <= most)
                .filter(each -> !(each.text("reason").equals("Earmarked") && isOneKept))
                .map(each ->
                        each.text("name") + ": " + each.text("reason") + " " + each.text("message") + ", free " + free)
                .toList();
    }

    // ---- waiting

    /** A check that may fail while the process is down. */
    public interface ConsoleCondition {
        boolean isMet();
    }

    public void await(String what, ConsoleCondition question) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String why = "";
        while (System.nanoTime() < end) {
            assertNoFailures();
            try {
                if (question.isMet()) {
                    return;
                }
            } catch (RunFailure e) {
                why = String.valueOf(e.getMessage());
            }
            pause(Duration.ofMillis(50));
        }
        throw new AssertionError("no %s within %s, seed %d: %s".formatted(what, PATIENCE, seed, why));
    }

    public static void pause(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
