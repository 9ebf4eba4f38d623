package dev.claimstream.kubernetes.doctor;

import dev.claimstream.dra.Feature;
import dev.claimstream.kubernetes.doctor.ClusterFacts.LogLeaseFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ManagedConfig;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PermissionResult;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.WriterFacts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** Sets facts about a cluster by name. A fact that is not set could not be read. Not thread-safe. */
public final class ClusterFactsBuilder {
    private static final String UNREAD = "not read";

    private final String url;
    private LookupResult<String> id = new LookupResult.Failure<>(UNREAD);
    private LookupResult<String> version = new LookupResult.Failure<>(UNREAD);
    private LookupResult<Boolean> api = new LookupResult.Failure<>(UNREAD);
    private final String user;
    private LookupResult<Duration> clockSkew = new LookupResult.Failure<>(UNREAD);
    private Map<Feature, DryRunResult> gates = Map.of();
    private LookupResult<ManagedConfig> managedConfig = new LookupResult.Failure<>(UNREAD);
    private LookupResult<SortedMap<String, Optional<String>>> classes = new LookupResult.Failure<>(UNREAD);
    private LookupResult<List<String>> drivers = new LookupResult.Failure<>(UNREAD);
    private LookupResult<List<String>> driversInUse = new LookupResult.Failure<>(UNREAD);
    private Map<AdmissionPolicy, PolicyFacts> policies = Map.of();
    private WriterFacts writer = new WriterFacts(
            new LookupResult.Failure<>(UNREAD),
            new LookupResult.Failure<>(UNREAD),
            new DryRunResult.Skipped(UNREAD, ""),
            new LookupResult.Failure<>(UNREAD));
    private LookupResult<List<PermissionResult>> watcherPermissions = new LookupResult.Failure<>(UNREAD);
    private LookupResult<LogLeaseFacts> logLease = new LookupResult.Failure<>(UNREAD);

    ClusterFactsBuilder(String url, String user) {
        this.url = url;
        this.user = user;
    }

    public ClusterFactsBuilder id(LookupResult<String> value) {
        id = value;
        return this;
    }

    public ClusterFactsBuilder version(LookupResult<String> value) {
        version = value;
        return this;
    }

    public ClusterFactsBuilder api(LookupResult<Boolean> value) {
        api = value;
        return this;
    }

    public ClusterFactsBuilder clockSkew(LookupResult<Duration> value) {
        clockSkew = value;
        return this;
    }

    public ClusterFactsBuilder gates(Map<Feature, DryRunResult> value) {
        gates = value;
        return this;
    }

    public ClusterFactsBuilder managedConfig(LookupResult<ManagedConfig> value) {
        managedConfig = value;
        return this;
    }

    public ClusterFactsBuilder classes(LookupResult<SortedMap<String, Optional<String>>> value) {
        classes = value;
        return this;
    }

    public ClusterFactsBuilder drivers(LookupResult<List<String>> value) {
        drivers = value;
        return this;
    }

    public ClusterFactsBuilder driversInUse(LookupResult<List<String>> value) {
        driversInUse = value;
        return this;
    }

    public ClusterFactsBuilder policies(Map<AdmissionPolicy, PolicyFacts> value) {
        policies = value;
        return this;
    }

    public ClusterFactsBuilder writer(WriterFacts value) {
        writer = value;
        return this;
    }

    public ClusterFactsBuilder watcherPermissions(LookupResult<List<PermissionResult>> value) {
        watcherPermissions = value;
        return this;
    }

    public ClusterFactsBuilder logLease(LookupResult<LogLeaseFacts> value) {
        logLease = value;
        return this;
    }

    /** Creates the facts. */
    public ClusterFacts build() {
        return new ClusterFacts(
                url,
                id,
                version,
                api,
                user,
                clockSkew,
                gates,
                managedConfig,
                classes,
                drivers,
                driversInUse,
                policies,
                writer,
                watcherPermissions,
                logLease);
    }
}
