/** Tests on the API server of a real control plane, and on one of many generated pods. */
@NullMarked
package dev.claimstream.systemtests.cluster;

import org.jspecify.annotations.NullMarked;
