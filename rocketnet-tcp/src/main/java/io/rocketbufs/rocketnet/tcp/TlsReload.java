package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.settings.ReloadedFiles;
import io.rocketbufs.text.PlainText;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The reloaded certificates, keys and lists of revoked certificates. A side whose files are unchanged keeps its
 * context.
 */
final class TlsReload implements ReloadedFiles {
    private static final String FOR_NEW = ", for new connections";

    private final TlsContexts contexts;
    private final Runnable onApplied;
    private final Instant now;
    private final List<String> changes = new ArrayList<>();
    private final List<TlsContext> next = new ArrayList<>();

    private TlsReload(TlsContexts contexts, Runnable onApplied, Instant now) {
        this.contexts = contexts;
        this.onApplied = onApplied;
        this.now = now;
    }

    /**
     * Reads the files.
     *
     * @param contexts the contexts in force
     * @param onApplied called after {@link #apply}
     * @throws IllegalArgumentException if a file is unusable, or if its content has changed and has expired; names the
     *     key and the file
     */
    static TlsReload read(List<TlsSide> sides, TlsContexts contexts, Runnable onApplied, Instant now) {
        TlsReload reload = new TlsReload(contexts, onApplied, now);
        try {
            TlsRevoked revoked = sides.get(0).readRevoked(); // read once, so that both sides use the same content
            sides.forEach(side -> reload.read(side, revoked));
            return reload;
        } catch (TlsFileException e) {
            reload.close();
            throw new IllegalArgumentException(TlsTransportSettings.PATH + "." + e.key() + ": " + e.getMessage(), e);
        } catch (RuntimeException | Error e) {
            reload.close();
            throw e;
        }
    }

    private void read(TlsSide side, TlsRevoked revoked) {
        TlsContext read = side.hasFiles() ? side.read(revoked) : null;
        if (read == null) {
            return;
        }
        next.add(read);
        int changeCount = changes.size();
        compare(side, contexts.of(side.isServer()), read);
        if (changes.size() == changeCount) {
            next.remove(read);
            read.close();
        }
    }

    private void compare(TlsSide side, TlsContext former, TlsContext read) {
        if (!former.certificates().equals(read.certificates())) {
            X509Certificate own = read.certificates().get(0);
            check(side.certificateKey(), side.certificate(), read.certificateEnd(), "expired");
            add(
                    side.certificateKey(),
                    side.certificate(),
                    name(own) + ", valid until " + own.getNotAfter().toInstant());
        }
        if (side.authorities() == null) {
            return;
        }
        Collection<X509Certificate> authorities = read.trust().authorities();
        if (!former.trust().authorities().equals(authorities)) {
            add(
                    side.authoritiesKey(),
                    side.authorities(),
                    authorities.stream().map(TlsReload::name).sorted().collect(Collectors.joining(", ")));
        }
        TlsRevoked revoked = read.trust().revoked();
        if (!Objects.equals(former.trust().revoked(), revoked)) {
            check(TlsSide.REVOKED, side.revoked(), revoked.end(), "became outdated");
            add(TlsSide.REVOKED, side.revoked(), "revoked certificates: " + revoked.count());
        }
    }

    /** Refuses new content that has expired. Content already in force may expire without blocking other changes. */
    private void check(String key, Path file, Instant end, String what) {
        if (end != null && end.isBefore(now)) {
            throw new TlsFileException(
                    key,
                    new IllegalArgumentException(
                            file + " has changed, but " + what + " at " + end + "; replace it with a current one"));
        }
    }

    private void add(String key, Path file, String content) {
        String line = TlsTransportSettings.PATH + "." + key + ": " + file + " now contains " + content + FOR_NEW;
        if (!changes.contains(line)) { // both sides use the lists of revoked certificates
            changes.add(line);
        }
    }

    private static String name(X509Certificate certificate) {
        return "\"" + PlainText.of(certificate.getSubjectX500Principal().toString()) + "\"";
    }

    @Override
    public List<String> changes() {
        return List.copyOf(changes);
    }

    @Override
    public void apply() {
        next.forEach(contexts::replace);
        next.clear();
        onApplied.run();
    }

    @Override
    public void close() {
        next.forEach(TlsContext::close);
        next.clear();
    }
}
