package dev.claimstream.lint;

import java.util.Set;

/** The DeviceClasses that the charts of public DRA drivers install. Manifests beside such a driver do not define them. */
final class PublishedClasses {
    private static final Set<String> NAMES = Set.of(
            "compute-domain-daemon.nvidia.com",
            "compute-domain-default-channel.nvidia.com",
            "dra.cpu",
            "gaudi.intel.com",
            "gpu-vfio.intel.com",
            "gpu.amd.com",
            "gpu.intel.com",
            "gpu.nvidia.com",
            "hami-core-gpu.project-hami.io",
            "mig.nvidia.com",
            "neuron.aws.com",
            "qat.intel.com",
            "sriovnetwork.k8snetworkplumbingwg.io",
            "tpu.google.com",
            "vfio.gpu.nvidia.com");

    private PublishedClasses() {}

    static boolean contains(String name) {
        return NAMES.contains(name);
    }
}
