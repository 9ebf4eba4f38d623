package dev.claimstream.dra;

/**
 * What a container of a pod asks for of an extended resource, in {@code resources.requests}.
 *
 * @param container the place of the container, from 0; init containers come first
 * @param place of the resource among all that the container asks for, by name, from 0
 * @param resource for example {@code nvidia.com/gpu}
 * @param count at least 1
 * @param ends whether the container ends before the others begin: an init container that is not restarted always
 */
public record ContainerResource(int container, int place, String resource, long count, boolean ends) {}
