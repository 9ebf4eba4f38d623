package dev.claimstream.watcher;

import io.micronaut.runtime.Micronaut;

/** The watcher as a process of its own. */
public final class Main {
    private Main() {}

    /** Starts it; it runs until it is stopped, and ends with 1 where it cannot go on. */
    public static void main(String[] args) throws InterruptedException {
        try (var context = Micronaut.build(args).banner(false).start()) {
            var watcher = context.findBean(ClusterWatcher.class);
            if (watcher.isPresent()) {
                watcher.get().awaitEnd();
                System.exit(watcher.get().isAlive() ? 0 : 1);
            }
        }
    }
}
