@NullMarked
package dev.claimstream.kubernetes.doctor;

import org.jspecify.annotations.NullMarked;
