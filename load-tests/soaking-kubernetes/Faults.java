import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Kills and freezes: what serves the cluster on one thread, the cluster on another, so that both can be gone at once. */
final class Faults {
    private static final int POLL_MS = 200;

    private final Plane plane;
    private final Up up;
    private final long everySeconds;
    private final Consumer<String> found;
    private final Consumer<Throwable> broke;
    private final Map<String, Integer> counts = new TreeMap<>();
    private final ReentrantLock planeIsWhole = new ReentrantLock(true);
    private final ReentrantLock upIsWhole = new ReentrantLock(true);

    private interface Action {
        void run(Random random) throws IOException, InterruptedException;
    }

    /**
     * @param everySeconds between two faults of a thread on average; 0: none
     * @param found is told what must not be
     * @param broke is told why it cannot go on
     */
    Faults(Plane plane, Up up, long everySeconds, Consumer<String> found, Consumer<Throwable> broke) {
        this.plane = plane;
        this.up = up;
        this.everySeconds = everySeconds;
        this.found = found;
        this.broke = broke;
    }

    void start(long seed) {
        again("faults of the cluster", new Random(seed + 1), planeIsWhole, this::ofThePlane);
        again("faults of up", new Random(seed + 2), upIsWhole, this::ofUp);
        Thread.ofPlatform().daemon().name("supervision").start(() -> supervise());
    }

    private void again(String name, Random random, ReentrantLock lock, Action action) {
        if (everySeconds == 0) {
            return;
        }
        Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                while (true) {
                    pause(random, 200, 2000 * everySeconds - 200);
                    lock.lock();
                    try {
                        action.run(random);
                    } finally {
                        lock.unlock();
                    }
                }
            } catch (IOException | RuntimeException e) {
                broke.accept(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** What ends by itself is started again, as whoever supervises it would. */
    private void supervise() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
                if (up.isAlive()) {
                    continue;
                }
                upIsWhole.lock();
                try {
                    if (!up.isAlive()) {
                        found.accept("claimstream up has ended by itself");
                        startUp();
                    }
                } finally {
                    upIsWhole.unlock();
                }
            }
        } catch (IOException | RuntimeException e) {
            broke.accept(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pause(Random random, long leastMs, long mostMs) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(random.nextLong(leastMs, mostMs));
    }

    private void ofThePlane(Random random) throws IOException, InterruptedException {
        int part = random.nextInt(Plane.PARTS.size() + 2);
        if (part == Plane.PARTS.size() + 1) {
            count("kubelet killed");
            plane.killKubelet();
            plane.startKubelet();
            return;
        }
        String name = Plane.PARTS.get(part % Plane.PARTS.size()); // the API server twice as often
        switch (random.nextInt(3)) {
            case 0 -> {
                count(name + " frozen");
                plane.tell("stop", name);
                pause(random, 500, 9000);
                plane.tell("cont", name);
            }
            case 1 -> {
                count(name + " killed");
                plane.tell("kill", name);
                pause(random, 500, 7000);
                plane.tell("start", name);
            }
            default -> {
                count(name + " killed");
                plane.tell("kill", name);
                plane.tell("start", name);
            }
        }
    }

    private void ofUp(Random random) throws IOException, InterruptedException {
        switch (random.nextInt(5)) {
            case 0 -> {
                count("up frozen");
                up.signal("STOP");
                pause(random, 500, 14_000); // longer than the lease is trusted
                up.signal("CONT");
                return;
            }
            case 1 -> {
                count("up ended");
                int status = up.end();
                if (status != 0) {
                    found.accept("claimstream up has ended with %d when it was told to end".formatted(status));
                }
            }
            default -> {
                count("up killed");
                up.kill();
            }
        }
        if (random.nextInt(3) == 0) {
            pause(random, 500, 6000);
        }
        startUp();
    }

    private void startUp() throws IOException, InterruptedException {
        while (!up.start()) {
            found.accept("claimstream up has ended before it was ready");
        }
    }

    private synchronized void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    /** How often something whose name begins and ends so was done. */
    synchronized int count(String begin, String end) {
        return counts.entrySet().stream().filter(each -> each.getKey().startsWith(begin) && each.getKey().endsWith(end)).mapToInt(Map.Entry::getValue).sum();
    }

    synchronized Map<String, Integer> counts() {
        return new TreeMap<>(counts);
    }

    /** Waits until everything runs, and keeps it so until {@link #goOn}. */
    void rest() {
        planeIsWhole.lock();
        upIsWhole.lock();
    }

    void goOn() {
        upIsWhole.unlock();
        planeIsWhole.unlock();
    }
}
