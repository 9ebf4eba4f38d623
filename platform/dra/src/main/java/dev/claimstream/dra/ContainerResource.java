package dev.claimstream.dra;

/**
 * A container's request for an extended resource in {@code resources.requests}.
 *
 * @param container the index of the container, from 0; init containers come first
 * @param resourceIndex the index of the resource among all requested resources of the container, by name, from 0
 * @param resource for example {@code nvidia.com/gpu}
 * @param count at least 1
 * @param ends whether the container terminates before later containers start: true for init containers without
 *     {@code restartPolicy: Always}
 */
public record ContainerResource(int container, int resourceIndex, String resource, long count, boolean ends) {}
