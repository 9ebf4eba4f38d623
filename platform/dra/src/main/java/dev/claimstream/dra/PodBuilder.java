package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sets the fields of a pod by name. Not thread-safe. */
public final class PodBuilder {
    private ObjectMeta meta;
    private Optional<String> nodeName = Optional.empty();
    private SortedMap<String, String> nodeSelector = new TreeMap<>();
    private Optional<NodeSelector> requiredAffinity = Optional.empty();
    private List<Toleration> tolerations = List.of();
    private int priority;
    private boolean preempts = true;
    private List<PodClaim> resourceClaims = List.of();
    private List<ContainerResource> containerResources = List.of();
    private ResourceList requests = ResourceList.none();
    private SortedMap<String, Long> spare = new TreeMap<>();
    private Optional<String> podGroup = Optional.empty();
    private List<String> schedulingGates = List.of();
    private PodTopology topology = PodTopology.none();
    private boolean finished;
    private String phase = "";

    PodBuilder(ObjectMeta meta) {
        this.meta = meta;
    }

    public PodBuilder meta(ObjectMeta value) {
        meta = value;
        return this;
    }

    public PodBuilder nodeName(Optional<String> value) {
        nodeName = value;
        return this;
    }

    public PodBuilder nodeSelector(SortedMap<String, String> value) {
        nodeSelector = value;
        return this;
    }

    public PodBuilder requiredAffinity(Optional<NodeSelector> value) {
        requiredAffinity = value;
        return this;
    }

    public PodBuilder tolerations(List<Toleration> value) {
        tolerations = value;
        return this;
    }

    public PodBuilder priority(int value) {
        priority = value;
        return this;
    }

    public PodBuilder preempts(boolean value) {
        preempts = value;
        return this;
    }

    public PodBuilder resourceClaims(List<PodClaim> value) {
        resourceClaims = value;
        return this;
    }

    public PodBuilder containerResources(List<ContainerResource> value) {
        containerResources = value;
        return this;
    }

    public PodBuilder requests(ResourceList value) {
        requests = value;
        return this;
    }

    public PodBuilder spare(SortedMap<String, Long> value) {
        spare = value;
        return this;
    }

    public PodBuilder podGroup(Optional<String> value) {
        podGroup = value;
        return this;
    }

    public PodBuilder schedulingGates(List<String> value) {
        schedulingGates = value;
        return this;
    }

    public PodBuilder topology(PodTopology value) {
        topology = value;
        return this;
    }

    public PodBuilder finished(boolean value) {
        finished = value;
        return this;
    }

    public PodBuilder phase(String value) {
        phase = value;
        return this;
    }

    /** Creates the pod. */
    public Pod build() {
        return new Pod(
                meta,
                nodeName,
                nodeSelector,
                requiredAffinity,
                tolerations,
                priority,
                preempts,
                resourceClaims,
                containerResources,
                requests,
                spare,
                podGroup,
                schedulingGates,
                topology,
                finished,
                phase);
    }
}
