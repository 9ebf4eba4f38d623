/** Who may read what over HTTP: identity by TokenReview, permissions by SubjectAccessReview, and what is hidden from the others. */
@NullMarked
package dev.claimstream.kubernetes.access;

import org.jspecify.annotations.NullMarked;
