/** Figures of the services as separate processes beside a real control plane: failover, starts and memory. */
@NullMarked
package dev.claimstream.load.services;

import org.jspecify.annotations.NullMarked;
