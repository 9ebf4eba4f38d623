import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Kills and freezes up on one thread and the cluster on another, so that both can be down at once. A third thread
 * injects faults between them. Each part is killed at least once, because the random choice may skip it for a
 * whole run.
 */
final class Faults {
    private static final int POLL_MS = 200;
    private static final int PROXY_FAULTS_PER_FAULT = 3; // up may be stopped during a fault of some seconds
    private static final String KUBELET = "kubelet";
    private static final String UP = "up";
    private static final String KILLED = " killed";

    /**
     * Commands for the proxy between up and the API server. A fault affects a watch at its start, so existing watches
     * are broken first.
     */
    private static final List<List<String>> PROXY_FAULTS = List.of(
            List.of("too-many 0.2 1s"),
            List.of("too-many 0.05 5s"),
            List.of("broken 0.2"),
            List.of("slow 0.3 4s"),
            List.of("lost 0.2"),
            List.of("unheard 0.5"),
            List.of("cut 0.8", "break"),
            List.of("expired 0.5", "break"),
            List.of("forgotten 0.3", "cut 0.5", "break"),
            List.of(
                    "too-many 0.05",
                    "broken 0.05",
                    "slow 0.05",
                    "lost 0.05",
                    "unheard 0.1",
                    "cut 0.2",
                    "expired 0.2",
                    "forgotten 0.1",
                    "break"));

    private final Plane plane;
    private final UpProcess up;
    private final long everySeconds;
    private final Consumer<String> findings;
    private final Consumer<Throwable> errors;
    private final Map<String, Integer> counts = new TreeMap<>();
    private final ReentrantLock clusterLock = new ReentrantLock(true);
    private final ReentrantLock upLock = new ReentrantLock(true);
    private final ReentrantLock proxyLock = new ReentrantLock(true);
    private int activeFaults; // faults of the cluster and of its connections
    private long lastChange = System.nanoTime();

    private interface Action {
        void run(Random random) throws IOException, InterruptedException;
    }

    /**
     * @param everySeconds average time between two faults of a thread; 0 for none
     * @param findings receives violations
     * @param errors receives errors that end the run
     */
    Faults(Plane plane, UpProcess up, long everySeconds, Consumer<String> findings, Consumer<Throwable> errors) {
        this.plane = plane;
        this.up = up;
        this.everySeconds = everySeconds;
        this.findings = findings;
        this.errors = errors;
    }

    /**
     * @param seconds duration of the run
     * @param outage seconds of one outage of the API server, and of up; 0 for none
     */
    void start(long seed, long seconds, long outage) {
        repeat(
                "faults of the cluster",
                new Random(seed + 1),
                clusterLock,
                everySeconds,
                counted(this::injectIntoCluster));
        repeat("faults of up", new Random(seed + 2), upLock, everySeconds, this::injectIntoUp);
        repeat(
                "faults between them",
                new Random(seed + 3),
                proxyLock,
                Math.ceilDiv(everySeconds, PROXY_FAULTS_PER_FAULT),
                counted(this::injectIntoProxy));
        if (outage > 0) {
            runOnce(
                    "outage of the API server",
                    new Random(seed + 4),
                    seconds,
                    clusterLock,
                    counted(random -> stopServer(random, outage)));
            runOnce("outage of up", new Random(seed + 5), seconds, upLock, random -> stopUp(random, outage));
        }
        if (everySeconds > 0) {
            killEachOnce(seed + 6, seconds);
        }
        Thread.ofPlatform().daemon().name("supervision").start(() -> supervise());
    }

    private void killEachOnce(long seed, long seconds) {
        runOnce("kill of " + UP, new Random(seed), seconds, upLock, this::killUp);
        runOnce("kill of " + KUBELET, new Random(seed + 1), seconds, clusterLock, counted(_ -> killKubelet()));
        for (int i = 0; i < Plane.PARTS.size(); i++) {
            String part = Plane.PARTS.get(i);
            runOnce(
                    "kill of " + part,
                    new Random(seed + 2 + i),
                    seconds,
                    clusterLock,
                    counted(random -> kill(part, random)));
        }
    }

    private void repeat(String name, Random random, ReentrantLock lock, long pauseSeconds, Action action) {
        if (pauseSeconds == 0) {
            return;
        }
        startThread(name, () -> {
            while (true) {
                pause(random, 200, 2000 * pauseSeconds - 200);
                locked(lock, action, random);
            }
        });
    }

    /** A random time in the first half, which leaves time to observe the effect. */
    private void runOnce(String name, Random random, long seconds, ReentrantLock lock, Action action) {
        startThread(name, () -> {
            pause(random, 100 * seconds, 500 * seconds);
            locked(lock, action, random);
        });
    }

    private interface FaultTask {
        void run() throws IOException, InterruptedException;
    }

    private void startThread(String name, FaultTask task) {
        Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                task.run();
            } catch (IOException | RuntimeException e) {
                errors.accept(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private Action counted(Action action) {
        return random -> {
            countActive(1);
            try {
                action.run(random);
            } finally {
                countActive(-1);
            }
        };
    }

    private synchronized void countActive(int more) {
        activeFaults += more;
        lastChange = System.nanoTime();
    }

    private synchronized boolean wasActiveSince(long nanoTime) {
        return activeFaults > 0 || lastChange - nanoTime > 0;
    }

    private static void locked(ReentrantLock lock, Action action, Random random)
            throws IOException, InterruptedException {
        lock.lock();
        try {
            action.run(random);
        } finally {
            lock.unlock();
        }
    }

    /** Restarts up if it has ended, as a supervisor does. */
    private void supervise() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
                if (up.isAlive()) {
                    continue;
                }
                upLock.lock();
                try {
                    if (!up.isAlive()) {
                        findings.accept("claimstream up ended unexpectedly");
                        startUp();
                    }
                } finally {
                    upLock.unlock();
                }
            }
        } catch (IOException | RuntimeException e) {
            errors.accept(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pause(Random random, long leastMs, long mostMs) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(random.nextLong(leastMs, mostMs));
    }

    private void injectIntoCluster(Random random) throws IOException, InterruptedException {
        int part = random.nextInt(Plane.PARTS.size() + 2);
        if (part == Plane.PARTS.size() + 1) {
            killKubelet();
            return;
        }
        String name = Plane.PARTS.get(part % Plane.PARTS.size()); // the API server is in the list twice
        if (random.nextInt(3) == 0) {
            count(name + " frozen");
            plane.send("stop", name);
            pause(random, 500, 9000);
            plane.send("cont", name);
        } else {
            kill(name, random);
        }
    }

    /** Restarts a part at once, or after a moment. */
    private void kill(String name, Random random) throws IOException, InterruptedException {
        count(name + KILLED);
        plane.send("kill", name);
        if (random.nextBoolean()) {
            pause(random, 500, 7000);
        }
        plane.send("start", name);
    }

    private void killKubelet() throws IOException, InterruptedException {
        count(KUBELET + KILLED);
        plane.killKubelet();
        plane.startKubelet();
    }

    private void injectIntoUp(Random random) throws IOException, InterruptedException {
        switch (random.nextInt(5)) {
            case 0 -> freezeUp(random);
            case 1 -> terminateUp(random);
            default -> killUp(random);
        }
    }

    private void freezeUp(Random random) throws IOException, InterruptedException {
        count("up frozen");
        up.signal("STOP");
        pause(random, 500, 14_000); // longer than the duration of the lease
        up.signal("CONT");
    }

    private void terminateUp(Random random) throws IOException, InterruptedException {
        count("up ended");
        int status = up.end();
        if (status != 0) {
            findings.accept("claimstream up ended with %d after SIGTERM".formatted(status));
        }
        startUpSoon(random);
    }

    private void killUp(Random random) throws IOException, InterruptedException {
        count(UP + KILLED);
        up.kill();
        startUpSoon(random);
    }

    private void startUpSoon(Random random) throws IOException, InterruptedException {
        if (random.nextInt(3) == 0) {
            pause(random, 500, 6000);
        }
        startUp();
    }

    private void injectIntoProxy(Random random) throws IOException, InterruptedException {
        List<String> chosen = PROXY_FAULTS.get(random.nextInt(PROXY_FAULTS.size()));
        count("between: " + chosen.getFirst().split(" ")[0]);
        for (String each : chosen) {
            plane.sendToProxy(each);
        }
        pause(random, 2000, 15_000);
        plane.sendToProxy("calm");
    }

    private void stopServer(Random random, long seconds) throws IOException, InterruptedException {
        boolean isKilled = random.nextBoolean();
        count("outage of kube-apiserver, " + (isKilled ? "killed" : "frozen"));
        plane.send(isKilled ? "kill" : "stop", "kube-apiserver");
        TimeUnit.SECONDS.sleep(seconds);
        plane.send(isKilled ? "start" : "cont", "kube-apiserver");
    }

    private void stopUp(Random random, long seconds) throws IOException, InterruptedException {
        if (random.nextBoolean()) {
            count("outage of up, frozen");
            up.signal("STOP");
            TimeUnit.SECONDS.sleep(seconds);
            up.signal("CONT");
            return;
        }
        count("outage of up, killed");
        up.kill();
        TimeUnit.SECONDS.sleep(seconds);
        startUp();
    }

    private void startUp() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!up.start()) {
            if (wasActiveSince(begin)) {
                count("start of up failed: no response from the API server");
                TimeUnit.SECONDS.sleep(1); // as a supervisor does
            } else {
                findings.accept("claimstream up ended before it was ready");
            }
            begin = System.nanoTime();
        }
    }

    private synchronized void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    /** The number of faults whose name has this prefix and suffix. */
    synchronized int count(String begin, String end) {
        return counts.entrySet().stream()
                .filter(each -> each.getKey().startsWith(begin) && each.getKey().endsWith(end))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /** The parts that were never killed, if faults are enabled. */
    synchronized List<String> neverKilled() {
        return Stream.concat(Stream.of(UP, KUBELET), Plane.PARTS.stream())
                .filter(each -> everySeconds > 0 && !counts.containsKey(each + KILLED))
                .toList();
    }

    synchronized Map<String, Integer> counts() {
        return new TreeMap<>(counts);
    }

    /** Waits until no fault is active, and injects none until {@link #resume}. */
    void suspend() {
        clusterLock.lock();
        upLock.lock();
        proxyLock.lock();
    }

    void resume() {
        proxyLock.unlock();
        upLock.unlock();
        clusterLock.unlock();
    }
}
