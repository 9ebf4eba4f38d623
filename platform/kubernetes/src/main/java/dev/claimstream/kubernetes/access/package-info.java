/** Access over HTTP: identity by TokenReview, permissions by SubjectAccessReview, redaction of hidden names. */
@NullMarked
package dev.claimstream.kubernetes.access;

import org.jspecify.annotations.NullMarked;
