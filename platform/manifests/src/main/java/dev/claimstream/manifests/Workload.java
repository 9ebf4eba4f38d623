package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * An object whose controller creates pods.
 *
 * @param meta its metadata with a name, also if the API server generates it
 * @param location the start of the object
 * @param replicas the pods of each template
 * @param notes warnings that apply only if the pods are created from the manifests
 * @param locations the locations of fields that a later check may report
 */
record Workload(
        WorkloadKind kind,
        ObjectMeta meta,
        SourceLocation location,
        List<PodReplicas> replicas,
        List<ManifestFinding> notes,
        SortedMap<String, SourceLocation> locations) {
    Workload {
        replicas = List.copyOf(replicas);
        notes = List.copyOf(notes);
        locations = new TreeMap<>(locations);
    }

    /** A workload of any kind, by API group, kind, namespace and name. Operators have kinds of the same names as Kubernetes. */
    record WorkloadKey(String group, String kind, String namespace, String name) {
        /** Creates a key; an empty namespace is the default namespace. */
        static WorkloadKey of(String apiVersion, String kind, String namespace, String name) {
            return of(new Owner(apiVersion, kind, name, ""), namespace);
        }

        /** Returns the key of the controller of an object in a namespace. */
        static WorkloadKey of(Owner owner, String namespace) {
            return new WorkloadKey(
                    owner.apiVersion().isEmpty() ? WorkloadKind.groupOf(owner.kind()) : owner.group(),
                    owner.kind(),
                    namespace.isEmpty() ? ClusterCompletion.DEFAULT_NAMESPACE : namespace,
                    owner.name());
        }

        @Override
        public String toString() {
            return "%s %s/%s".formatted(kind, namespace, name);
        }
    }

    /**
     * The pods of one template.
     *
     * @param count number of pods
     * @param countField the field that determines the number, for findings
     * @param naming what a used name means
     * @param identities the part of a pod's metadata that differs between pods, by position from 0
     */
    record PodReplicas(
            PodTemplate template,
            long count,
            ManifestField countField,
            PodNaming naming,
            LongFunction<PodIdentity> identities) {}

    /** The treatment of a name that another object has. */
    enum PodNaming {
        /** A pod must have its name: a used name is an error. */
        FIXED,
        /** The position is part of the name only: the next one is taken. */
        POSITION,
        /** The position has a meaning, and random letters follow on a cluster: a number follows instead. */
        INDEX
    }

    /** The name of a pod, and the labels and annotations that the controller adds to those of the template. */
    record PodIdentity(String name, SortedMap<String, String> labels, SortedMap<String, String> annotations) {
        PodIdentity withName(String other) {
            return new PodIdentity(other, labels, annotations);
        }
    }

    WorkloadKey key() {
        return kind.key(meta.namespace(), meta.name());
    }

    /** Returns the workload as owner of its pods. */
    Owner owner() {
        WorkloadKey key = key();
        return new Owner(kind.apiVersion(), key.kind, key.name, kind.uid(meta));
    }

    /** Returns the locations of the fields of a template. */
    SortedMap<String, SourceLocation> locationsOf(PodTemplate template) {
        String path = template.field().path().text();
        SortedMap<String, SourceLocation> own = new TreeMap<>(locations.tailMap(path));
        own.keySet().removeIf(each -> !each.equals(path) && !each.startsWith(path + "."));
        return Collections.unmodifiableSortedMap(own);
    }

    /**
     * Returns the metadata of a pod.
     *
     * @param uid empty if it is derived later
     */
    ObjectMeta podMeta(PodTemplate template, PodIdentity identity, String uid) {
        SortedMap<String, String> labels = new TreeMap<>(template.labels());
        labels.putAll(identity.labels);
        SortedMap<String, String> annotations = new TreeMap<>(template.annotations());
        annotations.putAll(identity.annotations);
        return ObjectMeta.builder(meta.namespace(), identity.name, uid)
                .created(meta.created())
                .labels(labels)
                .annotations(annotations)
                .controller(Optional.of(owner()))
                .build();
    }
}
