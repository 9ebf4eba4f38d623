package dev.claimstream.process.access;

import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.ReviewCache;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiAccessReviewer;
import dev.claimstream.process.ClusterSettings;
import io.micronaut.core.value.PropertyResolver;
import java.time.Duration;

/** Reads the settings of the access to a service. */
public final class AccessSettings {
    /** {@code loopback} or {@code kubernetes}. */
    public static final String MODE = "claimstream.access.mode";

    /** The value of {@link #MODE} with which Kubernetes decides. */
    public static final String KUBERNETES = "kubernetes";

    private static final String KEEP_FOR = "claimstream.access.keep-for";
    private static final String ENTRIES_MAX = "claimstream.access.entries-max";
    private static final Duration KEEP_FOR_DEFAULT = Duration.ofSeconds(30);
    private static final int ENTRIES_DEFAULT = 100_000;

    private AccessSettings() {}

    /** Returns whether Kubernetes decides what a caller sees. */
    public static boolean isReviewing(PropertyResolver settings) {
        String mode = settings.getProperty(MODE, String.class).orElse("loopback");
        return switch (mode) {
            case "loopback" -> false;
            case KUBERNETES -> true;
            default -> throw new IllegalArgumentException("%s is %s: use loopback or kubernetes".formatted(MODE, mode));
        };
    }

    /** Returns the time after which Kubernetes is asked again. */
    public static Duration keepFor(PropertyResolver settings) {
        return settings.getProperty(KEEP_FOR, Duration.class).orElse(KEEP_FOR_DEFAULT);
    }

    /**
     * Returns the gate of a service.
     *
     * @throws IllegalArgumentException if Kubernetes is to decide and no cluster is configured
     */
    public static AccessGate gate(PropertyResolver settings) {
        if (!isReviewing(settings)) {
            return AccessGate.LOOPBACK;
        }
        ApiAccess access = ClusterSettings.access(settings)
                .orElseThrow(() -> new IllegalArgumentException("%s is %s and no cluster is set: set %s"
                        .formatted(MODE, KUBERNETES, ClusterSettings.remedy())));
        return AccessGate.of(new ReviewCache(
                ApiAccessReviewer.open(access),
                keepFor(settings),
                settings.getProperty(ENTRIES_MAX, Integer.class).orElse(ENTRIES_DEFAULT)));
    }
}
