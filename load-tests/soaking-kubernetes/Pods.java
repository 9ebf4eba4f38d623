import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The pods of a namespace by a watch, with the time from creation to binding of each pod. */
final class Pods {
    private static final int PAUSE_MS = 300;

    private final Api api;
    private final String path;
    private final Map<String, WatchedPod> existing = new HashMap<>();
    private final Set<String> known = new HashSet<>();
    private final List<Long> boundMs = new ArrayList<>();
    private long deleted;

    /** A pod by its latest event. */
    record WatchedPod(
            String uid,
            String name,
            String node,
            boolean isGated,
            String phase,
            boolean isDeleting,
            boolean isNamed,
            long seenAt) {
        static WatchedPod of(Object tree, long seenAt) {
            return new WatchedPod(
                    JsonReader.text(tree, "metadata", "uid"),
                    JsonReader.text(tree, "metadata", "name"),
                    JsonReader.text(tree, "spec", "nodeName"),
                    !JsonReader.list(tree, "spec", "schedulingGates").isEmpty(),
                    JsonReader.text(tree, "status", "phase"),
                    JsonReader.has(tree, "metadata", "deletionTimestamp"),
                    isNamed(tree),
                    seenAt);
        }

        /** Whether the status names a claim for each of its templates. */
        private static boolean isNamed(Object tree) {
            long templates = JsonReader.list(tree, "spec", "resourceClaims").stream()
                    .filter(claim -> JsonReader.has(claim, "resourceClaimTemplateName"))
                    .count();
            return JsonReader.list(tree, "status", "resourceClaimStatuses").size() >= templates;
        }

        boolean isBound() {
            return !node.isEmpty();
        }

        boolean hasEnded() {
            return phase.equals("Succeeded") || phase.equals("Failed");
        }

        boolean isActive() {
            return !isDeleting && !hasEnded();
        }
    }

    Pods(Api api, String namespace) {
        this.api = api;
        this.path = "/api/v1/namespaces/%s/pods".formatted(namespace);
    }

    /** Watches the pods on a daemon thread. */
    void startWatch() {
        Thread.ofPlatform().daemon().name("pods").start(() -> {
            try {
                while (true) {
                    watch(list());
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private String list() throws InterruptedException {
        Object tree = JsonReader.read(api.get(path).body());
        List<?> items = JsonReader.list(tree, "items");
        synchronized (this) {
            var listed = new HashSet<String>();
            items.forEach(item -> listed.add(JsonReader.text(item, "metadata", "uid")));
            List.copyOf(existing.keySet()).stream()
                    .filter(uid -> !listed.contains(uid))
                    .forEach(this::remove);
            items.forEach(this::put);
        }
        return JsonReader.text(tree, "metadata", "resourceVersion");
    }

    private void watch(String version) throws InterruptedException {
        try (Stream<String> lines = api.changes(path, version)) {
            Iterator<String> each = lines.iterator();
            while (each.hasNext()) {
                Object event = JsonReader.read(each.next());
                Object pod = ((Map<?, ?>) event).get("object");
                switch (JsonReader.text(event, "type")) {
                    case "ADDED", "MODIFIED" -> put(pod);
                    case "DELETED" -> remove(JsonReader.text(pod, "metadata", "uid"));
                    case "ERROR" -> {
                        return;
                    }
                    default -> {} // a bookmark
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // the connection is lost: relist
        }
    }

    private synchronized void put(Object tree) {
        WatchedPod before = existing.get(JsonReader.text(tree, "metadata", "uid"));
        WatchedPod now = WatchedPod.of(tree, before == null ? System.nanoTime() : before.seenAt);
        if (now.isBound() && (before == null || !before.isBound())) {
            boundMs.add((System.nanoTime() - now.seenAt) / 1_000_000);
        }
        existing.put(now.uid, now);
        known.add(now.uid);
    }

    private synchronized void remove(String uid) {
        if (existing.remove(uid) != null) {
            deleted++;
        }
    }

    synchronized Collection<WatchedPod> all() {
        return List.copyOf(existing.values());
    }

    /** Whether the pod existed and is deleted. */
    synchronized boolean isRemoved(String uid) {
        return known.contains(uid) && !existing.containsKey(uid);
    }

    /** Whether the pod exists, has not ended and is not being deleted. */
    synchronized boolean isActive(String uid) {
        WatchedPod pod = existing.get(uid);
        return pod == null ? !known.contains(uid) : pod.isActive();
    }

    /** Whether the pod exists, has ended, and is not being deleted. */
    synchronized boolean hasEnded(String uid) {
        WatchedPod pod = existing.get(uid);
        return pod != null && pod.hasEnded() && !pod.isDeleting();
    }

    synchronized long deleted() {
        return deleted;
    }

    /** The times to binding of the pods that were bound since the last call. */
    synchronized List<Long> takeBoundMs() {
        List<Long> taken = boundMs.stream().sorted().toList();
        boundMs.clear();
        return taken;
    }
}
