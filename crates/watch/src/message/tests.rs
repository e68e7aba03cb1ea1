//! Messages survive the way there and back, and nothing else is taken for one.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use super::*;

fn paths() -> impl Strategy<Value = BTreeSet<WorkspacePath>> {
    btree_set("[a-c]{1,2}(/[a-c]{1,2}){0,2}".prop_map(|text| WorkspacePath::new(text).expect("a path")), 0..6)
}

fn mark() -> impl Strategy<Value = Option<Mark>> {
    prop::option::of((any::<u64>(), any::<u64>()).prop_map(|(watches, number)| Mark { watches, number }))
}

fn request() -> impl Strategy<Value = Request> {
    let bytes = || vec(any::<u8>(), 0..20);
    let ask = (bytes(), any::<(u64, u64)>(), bytes(), mark(), btree_set(bytes(), 0..4), paths());
    prop_oneof![
        4 => ask.prop_map(|(root, identity, namespace, mark, names, paths)| {
            Request::Ask(Question { root, identity, namespace, mark, blind: Blind { names, paths } })
        }),
        1 => bytes().prop_map(|root| Request::Tell { root }),
        1 => Just(Request::End),
    ]
}

fn doubt() -> impl Strategy<Value = Doubt> {
    prop::sample::select(DOUBTS.to_vec())
}

fn reply() -> impl Strategy<Value = Reply> {
    let only = (any::<(u64, u64)>(), paths(), paths()).prop_map(|((watches, number), folders, below)| Answer::Only {
        mark: Mark { watches, number },
        dirty: DirtyPaths { folders, below },
    });
    let everything = (mark(), doubt()).prop_map(|(mark, doubt)| Answer::Everything { mark, doubt });
    let standing = (any::<u32>(), any::<u64>(), any::<u64>(), prop::option::of(doubt()))
        .prop_map(|(pid, folders, blind, doubt)| Reply::Standing(Standing { pid, folders, blind, doubt }));
    prop_oneof![
        only.prop_map(Reply::Answer),
        everything.prop_map(Reply::Answer),
        standing,
        Just(Reply::Answer(Answer::Unknown)),
        Just(Reply::Ending),
    ]
}

proptest! {
    #[test]
    fn a_request_comes_out_as_it_went_in(request in request()) {
        prop_assert_eq!(Request::decode(&request.encode()[4..]), Ok(request));
    }

    #[test]
    fn a_reply_comes_out_as_it_went_in(reply in reply()) {
        prop_assert_eq!(Reply::decode(&reply.encode()[4..]), Ok(reply));
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_no_message(request in request(), reply in reply(), cut in any::<prop::sample::Index>()) {
        for whole in [&request.encode()[4..], &reply.encode()[4..]] {
            let part = &whole[..cut.index(whole.len())];
            prop_assert_eq!(Request::decode(part), Err(Malformed));
            prop_assert_eq!(Reply::decode(part), Err(Malformed));
            let more = [whole, b"x"].concat();
            prop_assert_eq!(Request::decode(&more), Err(Malformed));
            prop_assert_eq!(Reply::decode(&more), Err(Malformed));
        }
    }

    #[test]
    fn hostile_bytes_are_refused_without_a_panic(bytes in vec(any::<u8>(), 0..200)) {
        let with_version = [&[VERSION][..], &bytes].concat();
        for bytes in [&bytes, &with_version] {
            let request = Request::decode(bytes);
            prop_assert!(request.is_err() || request.is_ok_and(|request| request.encode()[4..] == bytes[..]));
            _ = Reply::decode(bytes);
        }
    }
}

#[test]
fn another_version_is_no_message() {
    let mut message = Request::End.encode();
    message[4] = VERSION + 1;
    assert_eq!(Request::decode(&message[4..]), Err(Malformed));
}

#[test]
fn a_list_that_claims_to_be_endless_takes_no_memory() {
    let mut message = vec![VERSION, 1];
    message.extend([0; 4 + 8 + 8 + 4 + 1]);
    message.extend(u32::MAX.to_le_bytes());
    assert_eq!(Request::decode(&message), Err(Malformed));
}
