package io.rocketbufs.rbmq.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(60)
final class UsersTest {
    private static final byte[] NONE = {};
    private static final int THREADS = 8;
    private static final AccessSettings LIMITED = parsed("rbmq.users = [{name = u, token = x, max-connections = 5}]");

    private final RefusalCounts refusals = new RefusalCounts();

    private Users users(String settings) {
        return users(parsed(settings));
    }

    private Users users(AccessSettings settings) {
        return new Users(settings, refusals);
    }

    private static AccessSettings parsed(String settings) {
        return AccessSettings.from(ConfigFactory.parseString(settings)
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve());
    }

    private static CompletableFuture<Void> connection() {
        return new CompletableFuture<>();
    }

    @Test
    void shouldAcceptEveryTokenWithoutUsers() {
        Users users = users("");
        assertThat(users.admit(NONE, null, true, connection())).hasToString("");
        assertThat(users.admit("any".getBytes(UTF_8), null, true, connection())).hasToString("");
    }

    @Test
    void shouldNameTheUserOfAToken() {
        Users users = users("rbmq { credentials = [c], users = [{name = u, token = x}, {name = v, token = xy}] }");
        assertThat(users.admit("x".getBytes(UTF_8), null, true, connection())).hasToString(" of user \"u\"");
        assertThat(users.admit("xy".getBytes(UTF_8), null, true, connection())).hasToString(" of user \"v\"");
        assertThat(users.admit("c".getBytes(UTF_8), null, true, connection())).hasToString("");
    }

    @Test
    void shouldNotTreatAClientWithAWrongTokenAsAnonymous() {
        Users users = users("rbmq { users = [{name = u, token = x}], anonymous.subscribe = [a] }");
        assertThat(users.admit(NONE, null, true, connection())).hasToString("");
        assertThatThrownBy(() -> users.admit("y".getBytes(UTF_8), null, true, connection()))
                .isInstanceOf(TransportException.class)
                .hasMessage("the token is not valid");
        assertThat(refusals.all()).containsEntry("wrong-token", 1L).containsEntry("no-token", 0L);
    }

    @Test
    void shouldFreeAConnectionOfAUserWhenItEnds() {
        Users users = users("rbmq.users = [{name = u, token = x, max-connections = 1}, {name = v, token = y}]");
        CompletableFuture<Void> first = connection();
        users.admit("x".getBytes(UTF_8), null, true, first);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> users.admit("x".getBytes(UTF_8), null, true, connection()))
                    .hasMessage("user \"u\" has reached max-connections=1; try again when a connection has ended, or"
                            + " raise the limit in the broker's rbmq.users");
        }
        users.admit("y".getBytes(UTF_8), null, true, connection());
        first.completeExceptionally(new IllegalStateException("lost"));
        CompletableFuture<Void> second = connection();
        users.admit("x".getBytes(UTF_8), null, true, second);
        assertThatThrownBy(() -> users.admit("x".getBytes(UTF_8), null, true, connection()))
                .hasMessageContaining("has reached");
        assertThat(refusals.all()).containsEntry("max-connections", 4L);
    }

    @Test
    void shouldNotExceedTheMaximumWhenManyConnectAtOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (int round = 0; round < 500; round++) {
                Users users = users(LIMITED);
                CyclicBarrier start = new CyclicBarrier(THREADS);
                List<Future<Boolean>> attempts = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    attempts.add(threads.submit(() -> isAdmitted(users, start)));
                }
                int admitted = 0;
                for (Future<Boolean> attempt : attempts) {
                    admitted += attempt.get(60, TimeUnit.SECONDS) ? 1 : 0;
                }
                assertThat(admitted).as("round=%d", round).isEqualTo(5);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(refusals.all()).containsEntry("max-connections", 500L * (THREADS - 5));
    }

    private static boolean isAdmitted(Users users, CyclicBarrier start) throws Exception {
        start.await(60, TimeUnit.SECONDS);
        try {
            users.admit("x".getBytes(UTF_8), null, true, connection());
            return true;
        } catch (TransportException e) {
            assertThat(e.code()).isEqualTo(TransportException.Code.RESOURCES);
            return false;
        }
    }

    @Test
    void shouldAcceptAnonymousClientsOnlyOnLoopbackUnlessItIsInsecure() {
        String settings = "rbmq { users = [{name = u, token = x}], anonymous.subscribe = [a]";
        Users secure = users(parsed(settings + " }"));
        assertThat(secure.admit(NONE, null, true, connection())).hasToString("");
        assertThatThrownBy(() -> secure.admit(NONE, null, false, connection())).hasMessage("a token is required");
        assertThat(secure.admit("x".getBytes(UTF_8), null, false, connection())).hasToString(" of user \"u\"");
        assertThat(users(parsed(settings + ", insecure = true }")).admit(NONE, null, false, connection()))
                .hasToString("");
    }

    @Test
    void shouldRefuseAnonymousClientsThatMayDoNothingEvenWithoutUsers() {
        Users users = users("rbmq.anonymous { publish = [], subscribe = [] }");
        assertThatThrownBy(() -> users.admit(NONE, null, true, connection())).hasMessage("a token is required");
        assertThatThrownBy(() -> users.admit("x".getBytes(UTF_8), null, true, connection()))
                .hasMessage("the token is not valid");
    }

    @Test
    void shouldRecognizeACertificateRegardlessOfItsSpelling() {
        Users users =
                users("rbmq.users = [{ name = e, certificate = \"cn=edge1, o=Example\" }, { name = u, token = x }]");
        X500Principal edge1 = new X500Principal("CN=edge1,O=Example");
        assertThat(users.admit(NONE, edge1, false, connection())).hasToString(" of user \"e\"");
        assertThat(users.admit("x".getBytes(UTF_8), edge1, false, connection())).hasToString(" of user \"u\"");
        assertThatThrownBy(() -> users.admit("y".getBytes(UTF_8), edge1, false, connection()))
                .hasMessage("the token is not valid");
        assertThatThrownBy(() -> users.admit(NONE, null, true, connection())).hasMessage("a token is required");
        assertThatThrownBy(() -> users.admit(NONE, new X500Principal("CN=edge1"), true, connection()))
                .hasMessage("the certificate \"CN=edge1\" belongs to no user, and there is no token");
    }

    @Test
    void shouldRefuseTheSameCertificateForTwoUsers() {
        assertThatThrownBy(() -> parsed("rbmq.users = [{ name = e, certificate = \"CN=a,O=b\" },"
                        + " { name = f, certificate = \"cn=A, o=B\" }]"))
                .hasMessageEndingWith("certificate: user \"e\" already has this certificate");
    }
}
